/** Ends a step of a message: with nothing to go on, with `false` to stop the message, with anything else as an error. */
type Done = (result?: unknown) => void

type Hook = (event: never, done?: Done) => unknown

interface Entry {
  name: string
  label: string | undefined
  hook: Hook
  isRemoved: boolean
}

const names = ['onSend', 'preRoute', 'preDeliver', 'postDeliver', 'onReceive', 'postReceive', 'onComplete']

/** The hooks on the way of a message (Node-RED's documentation, "Messaging Hooks"). */
export class MessageHooks {
  #entries: Entry[] = []

  /**
   * Adds a hook under `<name>` or `<name>.<label>`.
   * @throws Error for an unknown name, and for a label that has this hook already
   */
  add(id: string, hook: Hook): void {
    const [name = '', label] = id.split('.')
    if (!names.includes(name)) throw new Error(`Invalid hook '${name}'`)
    if (label !== undefined && this.has(id)) throw new Error(`Hook ${id} already registered`)
    this.#entries.push({ name, label, hook, isRemoved: false })
  }

  /** Removes the hook `<name>.<label>`, or all hooks of a label with `*.<label>`. */
  remove(id: string): void {
    const [name, label] = id.split('.')
    if (!label) throw new Error(`Cannot remove hook without label: ${id}`)
    for (const entry of this.#entries)
      if (entry.label === label && (name === '*' || entry.name === name)) entry.isRemoved = true
    this.#entries = this.#entries.filter(({ isRemoved }) => !isRemoved)
  }

  /** Tells if there is a hook of a name, or of a name and a label. */
  has(id: string): boolean {
    const [name, label] = id.split('.')
    return this.#entries.some(
      (entry) => entry.name === name && (label === undefined || entry.label === label),
    )
  }

  /** Calls the hooks of a name in turn, each after the end of the one before it, and then `done`. */
  trigger(name: string, event: unknown, done: Done): void {
    if (this.#entries.length === 0) done()
    else
      callInTurn(
        this.#entries.filter((entry) => entry.name === name),
        event,
        done,
      )
  }
}

function callInTurn([entry, ...others]: readonly Entry[], event: unknown, done: Done): void {
  const goOn: Done = (result) => {
    if (result === undefined) callInTurn(others, event, done)
    else done(result)
  }
  if (!entry || entry.isRemoved) {
    if (entry) goOn()
    else done()
    return
  }
  let result: unknown
  try {
    result = entry.hook.length === 1 ? entry.hook(event as never) : entry.hook(event as never, goOn)
  } catch (thrown) {
    done(thrown)
    return
  }
  // A hook with two parameters goes on by a call.
  if (entry.hook.length !== 1) return
  if (isPromise(result)) result.then(goOn, done)
  else goOn(result === false ? false : undefined)
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | undefined)?.then === 'function'
}
