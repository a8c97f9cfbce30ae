import nunjucks from 'nunjucks'

/**
 * Renders a template as Home Assistant does, about: nunjucks is the same language as Jinja, and throws for what is not
 * defined; null is written as in Python.
 */
const environment = new nunjucks.Environment(null, { autoescape: false, throwOnUndefined: true })
environment.addFilter('tojson', (value) => JSON.stringify(value))

/**
 * Returns the result of a value template for a payload of the broker.
 * @throws Error if the payload lacks what the template names
 */
export function renderValue(template: string, payload: string): string {
  return environment.renderString(template, { value: payload, value_json: pythonic(JSON.parse(payload)) })
}

/** Returns the result of a command template. */
export function renderCommand(template: string, values: object): string {
  return environment.renderString(template, values)
}

function pythonic(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value === null ? 'None' : value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, member === null ? 'None' : member]),
  )
}
