/** The parts of nunjucks that we use; the package brings no types. */
declare module 'nunjucks' {
  export class Environment {
    constructor(loader: null, options: { autoescape: boolean; throwOnUndefined: boolean })
    addFilter(name: string, filter: (value: unknown) => string): void
    renderString(template: string, context: object): string
  }
  const nunjucks: { Environment: typeof Environment }
  export default nunjucks
}
