/** The tests of `npm test` that live in the simulation: the kept stories, and a few random lives. */
export const simulationTests = ['test/nodes/stories.test.ts', 'test/nodes/truth.test.ts']

/**
 * The random worlds, each with the files that live in it, or with the kinds of houses of the simulation. How many random inputs its
 * properties try comes from `harness/mocha/depth.ts`. What the simulation runs V8 does not tell: its copies of the product have no files.
 * @type {{ name: string, files?: string[], kinds?: string[], isDirected?: boolean, hasCopies?: boolean }[]}
 */
export const worlds = [
  { name: 'kept stories', files: ['test/nodes/stories.test.js'], isDirected: true, hasCopies: true },
  {
    name: 'simulation',
    kinds: [
      'houses',
      'houses with Home Assistant',
      'houses in the hour that clocks repeat',
      'houses without fixed intervals',
    ],
    hasCopies: true,
  },
  { name: 'shared delivery', files: ['test/long/properties/shared-delivery.test.js'] },
  { name: 'requests', files: ['test/long/properties/requests.test.js'] },
]

/** The name of the column for the tests that need only their own process, beside the worlds. */
export const plainTests = 'tests'

/** Returns true for the source of a test file that lives in a world, or tries one of its properties; an audit alone is no world. */
export function livesInWorld(source) {
  return /harness\/(?:properties|simulation|kills|week)\/(?!service-audit)/.test(source)
}
