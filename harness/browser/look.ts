/** A supported Node-RED and a theme. */
export interface Look {
  /** Major and minor version. */
  nodeRed: '4.1' | '5.0'
  theme: 'light' | 'dark'
}

const supported: readonly Look[] = [
  { nodeRed: '4.1', theme: 'light' },
  { nodeRed: '4.1', theme: 'dark' },
  { nodeRed: '5.0', theme: 'light' },
  { nodeRed: '5.0', theme: 'dark' },
]

/** Every supported look, or those of the Node-RED in the environment variable `NODE_RED`, for example `4.1`. */
export const looks: readonly Look[] = supported.filter(
  ({ nodeRed }) => nodeRed === (process.env.NODE_RED || nodeRed),
)

/** The Node version for each Node-RED; undefined for the Node that runs the tests. */
export const nodeFor: Readonly<Record<Look['nodeRed'], string | undefined>> = {
  '4.1': undefined,
  '5.0': '24',
}

/**
 * The dark theme. Node-RED 4.1 has none, so it gets the theme collection. Users of 5.0 select it in the editor's settings,
 * which the browser stores.
 */
export const darkTheme = {
  package: '@node-red-contrib-themes/theme-collection@^3.0.6',
  settings: { theme: 'dark' },
  stored: { 'view-dark-theme': 'dark' },
} as const
