import { byId, setOptions } from './element.mjs'

/** Shows whether the chosen device reports the chosen warning; `types` are the words of the service. */
export function showWarnings({ serial, devices }, types, runAction) {
  const [device, type, reported] = ['warned-device', 'warning', 'warned'].map(byId)
  setOptions(
    device,
    devices.map(({ id, name }) => [String(id), name]),
  )
  setOptions(
    type,
    types.map((one) => [one, one]),
  )
  const update = () => {
    const chosen = devices.find(({ id }) => String(id) === device.value)
    reported.checked = chosen?.warnings.includes(type.value) ?? false
  }
  device.onchange = update
  type.onchange = update
  reported.onchange = () =>
    runAction('warning', {
      panel: serial,
      device: Number(device.value),
      type: type.value,
      on: reported.checked,
    })
  update()
}
