/** Wrong and right values of a field, and its error sentence. */
export interface FieldRule {
  field: string
  wrong: readonly string[]
  right: readonly string[]
  /** Key of the sentence in the texts of the dialog's type. */
  says: string
}

/** An environment variable: every field accepts one, because it is replaced on deploy. */
export const variable = `\${${'HOME'}}`

/** The rules of the fields that check themselves in a way of their own, by the type of the dialog or the action of a command. */
export const fieldRules: Readonly<Record<string, readonly FieldRule[]>> = {
  account: [
    { field: 'url', wrong: [''], right: ['https://alarm.example.com'], says: 'urlMissing' },
    {
      field: 'url',
      wrong: ['alarm.example.com', 'ftp://alarm.example.com'],
      right: ['https://alarm.example.com/base'],
      says: 'url',
    },
    {
      field: 'url',
      wrong: ['https://me:word@alarm.example.com', 'https://alarm.example.com/?a=1'],
      right: [],
      says: 'urlParts',
    },
    {
      field: 'url',
      wrong: ['http://alarm.example.com', 'http://192.168.1.5', 'http://127.0.0.1.example.com'],
      right: ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080', variable],
      says: 'urlPlain',
    },
    { field: 'email', wrong: [''], right: ['me@example.com', variable], says: 'email' },
    { field: 'password', wrong: [''], right: ['word', variable], says: 'password' },
    {
      field: 'timeZone',
      wrong: ['Mars/Olympus', '+01:00'],
      right: ['Europe/Berlin', 'UTC', '', variable],
      says: 'timeZone',
    },
    {
      field: 'locale',
      wrong: ['german', 'de', 'de-DE'],
      right: ['de_DE', 'es_419', '', variable],
      says: 'locale',
    },
    {
      field: 'apiVersion',
      wrong: ['7', 'newest', '-9'],
      right: ['8', '14.0', '', variable],
      says: 'apiVersion',
    },
  ],
  cluster: [
    {
      field: 'address',
      wrong: ['', 'http://redis.local', 'redis://me:word@redis.local', 'redis.local:26379,'],
      right: [
        'redis://redis.local:6379/1',
        'rediss://redis.local',
        '10.0.0.1, 10.0.0.2:26379',
        '[::1]:26379',
        variable,
      ],
      says: 'address',
    },
    {
      field: 'clusterName',
      wrong: ['two words', 'a/b', 'a{b}'],
      right: ['', 'home-2.test', variable],
      says: 'clusterName',
    },
  ],
  panel: [
    { field: 'serial', wrong: [''], right: ['A1B2C3', variable], says: 'serial' },
    { field: 'userCode', wrong: [''], right: ['0123', variable], says: 'userCode' },
    ...['stateEvery', 'eventsEvery', 'devicesEvery'].map((field) => {
      return { field, wrong: ['0', '0.5', 'often'], right: ['', '1', '2.5', variable], says: field }
    }),
  ],
  query: [
    { field: 'locale', wrong: ['german', 'de', 'de-DE'], right: ['de_DE', '', variable], says: 'locale' },
    { field: 'panel', wrong: ['_ADD_'], right: ['house'], says: 'panel' },
  ],
  command: [
    { field: 'partition', wrong: ['', '1.5', 'all'], right: ['-1', '2', variable], says: 'partition' },
  ],
  bypass: [{ field: 'zone', wrong: ['1.5', 'door'], right: ['', '7', variable], says: 'zone' }],
  health: [
    {
      field: 'every',
      wrong: ['-1', '0.5', '604801', 'often'],
      right: ['0', '1', '604800', variable],
      says: 'every',
    },
    { field: 'panel', wrong: ['barn'], right: ['house', '_ADD_'], says: 'panel' },
  ],
}
