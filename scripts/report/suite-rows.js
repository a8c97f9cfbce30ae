/** The columns of a table of suites. */
export const suiteColumns = [
  ...['suite', 'tests', 'failed', 'serial seconds', 'processor seconds'],
  ...['Node-REDs', 'Redis servers', 'brokers', 'browsers', 'requests', 'random inputs'],
]

/** Returns the row of a suite, from its record. */
export function suiteRow(suite, { files, processorSeconds, started, requests, runs }) {
  const sum = (field) => files.reduce((total, file) => total + (file[field] ?? 0), 0)
  return [
    ...[suite, sum('tests'), sum('failed')],
    ...[inSeconds(sum('milliseconds')), processorSeconds?.toFixed(1) ?? ''],
    ...[started['node-red'], started.redis, started.mosquitto, started.browser, requests, runs],
  ]
}

/** Returns milliseconds as a number of seconds with one decimal place. */
export function inSeconds(milliseconds) {
  return (milliseconds / 1000).toFixed(1)
}
