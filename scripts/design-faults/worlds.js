/** The file that lives the stories in which something untrue was told once. */
export const directedLives = 'test/nodes/stories.test.ts'

/**
 * The random worlds, each with the files that live in it. How many random inputs its properties try comes from
 * `harness/mocha/depth.ts`.
 * @type {{ name: string, files: string[], isDirected?: boolean }[]}
 */
export const worlds = [
  { name: 'directed lives', files: [directedLives.replace(/ts$/, 'js')], isDirected: true },
  { name: 'lives', files: ['test/long/truth/houses.test.js'] },
  { name: 'lives with Home Assistant', files: ['test/long/truth/home-assistant.test.js'] },
  { name: 'lives in the repeated hour', files: ['test/long/truth/repeated-hour.test.js'] },
  { name: 'lives in large houses', files: ['test/long/truth/large-houses.test.js'] },
  { name: 'recovery', files: ['test/long/recovery/seed.test.js'] },
  {
    name: 'new events',
    files: ['ids', 'keys', 'lists', 'times'].map((name) => `test/long/properties/new-events/${name}.test.js`),
  },
  {
    name: 'delivery',
    files: ['delivery', 'shared-delivery'].map((name) => `test/long/properties/${name}.test.js`),
  },
  { name: 'stories', files: ['test/long/properties/stories.test.js'] },
  { name: 'requests', files: ['test/long/properties/requests.test.js'] },
  { name: 'bypasses', files: ['test/long/properties/bypasses.test.js'] },
  { name: 'rate limit', files: ['test/long/properties/request-schedules.test.js'] },
  { name: 'rehearsals', files: ['test/long/properties/rehearsals.test.js'] },
]

/** The name of the column for the tests that need only their own process, beside the worlds. */
export const plainTests = 'tests'

/** Returns true for the source of a test file that lives in a world, or tries one of its properties. */
export function livesInWorld(source) {
  return /harness\/(?:properties|simulation|kills|week)\//.test(source)
}
