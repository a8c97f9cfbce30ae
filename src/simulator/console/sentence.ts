/** A sentence for the user of the console: an English text with places for values, such as `{name}`. The page translates it. */
export interface Sentence {
  readonly text: string
  readonly values: Readonly<Record<string, string | number>>
}

/** Returns a sentence. */
export function say(text: string, values: Sentence['values'] = {}): Sentence {
  return { text, values }
}

/** Returns a sentence in English. */
export function inEnglish({ text, values }: Sentence): string {
  return text.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place))
}

/** An action that the simulated world does not allow now. */
export class ActionError extends Error {
  readonly sentence: Sentence

  constructor(text: string, values: Sentence['values'] = {}) {
    super(inEnglish({ text, values }))
    this.sentence = { text, values }
  }
}
