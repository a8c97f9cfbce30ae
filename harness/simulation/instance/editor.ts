import type { SimulatedFlow } from '../node-red/simulated-flow.ts'

type Handler = (request: object, response: object) => unknown

/**
 * Sends a form to a node, as its dialog in the editor does.
 * @param kind of the node, such as `panel`
 * @param name of the form
 * @param onAnswer gets the answer; it is not called if there is none
 */
export function submitForm(
  { nodeRed }: SimulatedFlow,
  { kind, id, name }: { kind: string; id: string; name: string },
  form: object,
  onAnswer: (answer: Readonly<Record<string, unknown>>) => void = () => {},
): void {
  const route = nodeRed.routes.find(({ path }) => path === `/keyholder/${kind}/:id/${name}`)
  const handle = route?.handlers.at(-1) as unknown as Handler
  const request = { params: { id }, headers: {}, body: form, is: () => true }
  const ignore = () => {}
  const end = (text = '{}') => onAnswer(JSON.parse(text))
  handle(request, { on: ignore, set: ignore, write: ignore, end, sendStatus: ignore })
}
