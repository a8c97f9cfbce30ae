import { configNode, language, number, secret } from '../pages/fields.ts'

/** The settings of a chain test node. */
export const settings = {
  fields: {
    panel: configNode('panel'),
    testDays: number(30, { min: 1, max: 366, whole: true }, { icon: 'calendar', says: 'number' }),
    testHour: number(11, { min: 7, max: 20, whole: true }, { icon: 'clock-o', says: 'number' }),
    answerMinutes: number(15, { min: 1, max: 1440 }, { icon: 'reply', says: 'number' }),
    // The address of a watcher outside, which may contain a secret.
    watcherUrl: secret({
      icon: 'heartbeat',
      attributes: 'placeholder="https://" autocomplete="new-password"',
    }),
    watcherMinutes: number(5, { min: 1, max: 1440 }, { icon: 'refresh', says: 'number' }),
    language: language(),
  },
  form: [
    ...['panel', 'testDays', 'testHour', 'answerMinutes', 'watcherUrl', 'watcherMinutes'],
    { tip: 'watcher' },
    'language',
  ],
  outputs: 3,
}
