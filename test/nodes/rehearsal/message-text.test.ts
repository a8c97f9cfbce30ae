import assert from 'node:assert/strict'
import { textOfMessage } from '../../../nodes/rehearsal/message-text.ts'

describe('What a person reads of a message', () => {
  const title = 'Burglary: Kitchen window'
  const messages: Record<string, [message: object, text: string]> = {
    'a text': [{ topic: 'House/incident', payload: 'Not over.' }, 'Not over.'],
    'a title beside the text': [{ title, payload: 'Not over.' }, `${title}\nNot over.`],
    'an object for ntfy': [
      { payload: { topic: 't', title, message: 'Not over.', priority: 5 } },
      `${title}\nNot over.`,
    ],
    'an object for Telegram': [{ payload: { chat_id: 1, text: 'Not over.' } }, 'Not over.'],
    'an object as text': [{ payload: JSON.stringify({ content: 'Not over.' }) }, 'Not over.'],
    'an incident': [{ payload: { title, summary: 'Not over.' } }, `${title}\nNot over.`],
    'a text that only looks like an object': [{ payload: '{' }, '{'],
    'no text': [{ payload: true }, ''],
    'a long text of several lines': [
      { payload: `a\n${'word '.repeat(90)}` },
      `a ${'word '.repeat(59).trim()}…`,
    ],
  }
  for (const [what, [message, text]] of Object.entries(messages))
    it(`is the title and the text, on a line each: ${what}`, () => {
      assert.equal(textOfMessage({ ...message }), text)
    })
})
