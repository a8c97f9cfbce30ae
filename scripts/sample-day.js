/** Number of hours in the sample day. */
export const hours = 16

const [frontDoor, kitchenWindow, bedroomWindow, livingRoom] = [1, 2, 3, 4]
const [hallway, landing, utilityRoom, winterGarden] = [5, 6, 7, 8]
const cellar = 12

/** Brightness in lux, hour by hour. */
const daylight = [4, 15, 30, 60, 60, 120, 120, 120, 120, 60, 60, 30, 15, 8, 4, 2]

/** Runs a day in a house, hour by hour from morning to evening, as events of its panel. */
export function sampleDay(panel) {
  const house = 1
  const happenings = {
    1: () => panel.arm(house, 'AWAY', { user: 'Anna' }),
    4: () => panel.tamper(winterGarden),
    5: () => panel.restoreTamper(winterGarden),
    9: () => panel.disarm(house, { user: 'Chiara' }),
    10: () => panel.lowBattery(panel.zone(utilityRoom).id),
    11: () => panel.open(frontDoor),
    12: () => panel.close(frontDoor),
    13: () => panel.arm(2, 'AWAY', { user: 'Ben', exitDelay: 0 }),
    14: () => panel.bypass(bedroomWindow, true, { user: 'Anna' }),
    15: () => panel.open(kitchenWindow),
  }
  return daylight.map((lux, hour) => () => {
    const warmth = Math.round(5 * Math.sin(((hour - 3) / hours) * Math.PI)) / 2
    const temperatures = [
      [livingRoom, 20 + warmth],
      [hallway, 18.5 + warmth],
      [landing, 20 + Math.round(warmth) / 2],
      [cellar, 12.5],
    ]
    for (const [zone, value] of temperatures) panel.measure(panel.zone(zone).id, 'temperature', value)
    panel.measure(panel.zone(livingRoom).id, 'brightness', lux)
    panel.measure(panel.zone(hallway).id, 'brightness', lux / 2)
    happenings[hour]?.()
  })
}
