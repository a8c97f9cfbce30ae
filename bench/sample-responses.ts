/** Returns `count` different events in the format of the service, starting with this number. */
export function eventsFrom(first: number, count: number): object[] {
  return Array.from({ length: count }, (_, place) => {
    const number = first + place
    const user = number % 5
    return {
      event: 280_125_000 + 7 * number,
      type_id: 85 + (number % 4),
      label: 'ARM',
      description: 'Armed at home by a user',
      appointment: `User ${user}`,
      datetime: timeOf(number),
      video: false,
      device_type: 'USER',
      zone: user,
      zone_name: `Front door ${user}`,
      partitions: [1],
    }
  })
}

/** Returns devices in the format of the service, with all the traits of sensors. */
export function devices(count: number): object[] {
  return Array.from({ length: count }, (_, place) => ({
    id: 828_776 + place,
    enrollment_id: `120-${1000 + place}`,
    device_number: place + 1,
    device_type: 'ZONE',
    zone_type: 'INTERIOR',
    subtype: 'FLAT_PIR_SMART',
    preenroll: false,
    warnings: place % 8 === 0 ? [{ type: 'LOW_BATTERY', severity: 'TROUBLE', in_memory: false }] : null,
    partitions: [1],
    traits: {
      rssi: {
        average: 'strong',
        current: 'strong',
        channel: place % 20,
        repeater: null,
        last_updated: '2026-03-14 09:26:53',
      },
      location: { name: `Room ${place}` },
      bypass: { enabled: false },
      soak: { enabled: false },
      rarely_used: { enabled: false },
      meteo_info: {
        temperature: { date: '2026-11-20T12:00:00', value: 20.5 },
        brightness: { date: '2026-11-20T12:00:00', value: 15 },
      },
    },
    name: `Sensor ${place}`,
    removable: true,
    renamable: true,
  }))
}

/** Milliseconds between two events: about a minute. */
function timeOf(number: number): string {
  const time = new Date(Date.UTC(2026, 0, 1) + 61_000 * number).toISOString()
  return time.slice(0, 19).replace('T', ' ')
}
