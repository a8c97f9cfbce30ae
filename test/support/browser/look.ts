/** A Node-RED that we promise to work in, and how its user looks at it. */
export interface Look {
  /** Its major and minor version. */
  nodeRed: '4.1' | '5.0'
  theme: 'light' | 'dark'
}

const promised: readonly Look[] = [
  { nodeRed: '4.1', theme: 'light' },
  { nodeRed: '4.1', theme: 'dark' },
  { nodeRed: '5.0', theme: 'light' },
  { nodeRed: '5.0', theme: 'dark' },
]

/**
 * Every look that we promise, or those in the Node-RED that `NODE_RED` names, such as `4.1`: so two processes can share the
 * work.
 */
export const looks: readonly Look[] = promised.filter(
  ({ nodeRed }) => nodeRed === (process.env.NODE_RED || nodeRed),
)

/** The Node on which each runs: the one that runs the tests, or the one that its users have. */
export const nodeFor: Readonly<Record<Look['nodeRed'], string | undefined>> = {
  '4.1': undefined,
  '5.0': '24',
}

/**
 * What brings the dark theme into 4.1, which has none of its own: the theme collection, by which its users get one. In 5.0 the
 * user chooses in the editor's settings, and the browser remembers it.
 */
export const darkTheme = {
  package: '@node-red-contrib-themes/theme-collection@^3.0.6',
  settings: { theme: 'dark' },
  stored: { 'view-dark-theme': 'dark' },
} as const
