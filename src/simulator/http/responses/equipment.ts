import type { Panel } from '../../world/panel.ts'
import { eventIds } from '../../world/partition.ts'
import { locations } from './locations.ts'

/** GET cameras (field fact): detectors with a camera; none of them has taken a picture. */
export function cameras({ plan }: Panel) {
  const seeing = plan.devices.filter(({ subtype }) => subtype.includes('CAMERA'))
  return seeing.map((device) => ({
    location: device.traits.location?.name ?? '',
    partitions: device.partitions,
    preenroll: device.preenroll,
    preview_path: null,
    status: 'succeeded',
    timestamp: null,
    zone: device.device_number,
    zone_name: device.name,
  }))
}

/**
 * GET smart_devices (field fact): temperature of each partition, from the first detector there that measures
 * it.
 */
export function smartDevices(panel: Panel) {
  const { devices } = panel.report()
  return eventIds(panel.partitions).flatMap((partition) => {
    const measured = devices.find(
      ({ traits, partitions }) => traits.meteo_info?.temperature && partitions.includes(partition),
    )
    const temperature = measured?.traits.meteo_info?.temperature?.value
    return temperature === undefined ? [] : [{ partition, indoor_temperature: temperature }]
  })
}

/** GET home_automation_devices (field fact): the outputs of the panel. */
export function homeAutomationDevices(panel: Panel) {
  const places = locations(panel)
  const outputs = panel.devices.filter(({ device_type }) => device_type === 'PGM')
  return outputs.map(({ device_number, name, traits }) => {
    const place = places.find((one) => one.name === traits.location?.name)
    return {
      id: device_number,
      class: 'pgm',
      name: name === '' ? null : name,
      user_type: null,
      device_type: 'PGM',
      product_type: null,
      product_name: null,
      state: { pgm: 'off' },
      location: place ? { id: place.hel_id, name: place.name } : null,
      partitions: [-1],
      supported_commands: ['output'],
      has_timer: true,
      label_editable: true,
    }
  })
}
