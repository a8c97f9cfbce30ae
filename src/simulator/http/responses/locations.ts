import type { Panel } from '../../world/panel.ts'

/** The preset names of every panel; the names chosen by the installer follow them in the response. */
const presetNames =
  `Attic, Back door, Basement, Bathroom, Bedroom, Child room, Closet, Den, Dining room, Downstairs, Emergency,
  Fire, Front door, Garage, Garage door, Guest room, Hall, Kitchen, Laundry room, Living room, Master bath, Master Bdrm,
  Office, Upstairs, Utility room, Yard`.split(/,\s+/)

/** GET locations (field fact): the locations that a device can be assigned to. */
export function locations({ plan }: Panel) {
  const used = plan.devices.flatMap(({ traits }) => traits.location?.name ?? [])
  const own = [...new Set(used)].filter((name) => !presetNames.includes(name))
  return [
    ...presetNames.map((name) => ({ name, is_editable: false })),
    ...own.map((name) => ({ name, is_editable: true })),
  ].map((place, index) => ({ hel_id: index, ...place }))
}
