/** Fields of the contract and their defaults; credentials behind them. */
export const contract: Record<
  string,
  { fields: Record<string, unknown>; credentials?: Record<string, string> }
> = {
  'keyholder-account': {
    fields: {
      name: '',
      source: 'service',
      url: '',
      apiVersion: '',
      api: 'user',
      appId: '',
      deviceInfo: '',
      locale: 'en_US',
      timeZone: 'UTC',
      requestsPerMinute: 30,
      timeout: 10,
      caFile: '',
    },
    credentials: { email: 'text', password: 'password' },
  },
  'keyholder-panel': {
    fields: {
      name: '',
      account: '',
      serial: '',
      stateEvery: 30,
      eventsEvery: 60,
      devicesEvery: 300,
      allowCommands: false,
    },
    credentials: { userCode: 'password' },
  },
  'keyholder-state': {
    fields: { name: '', panel: '', partitions: [], emit: 'change', initial: true, vocabulary: 'native' },
  },
  'keyholder-readings': {
    fields: {
      name: '',
      panel: '',
      devices: [],
      kinds: [],
      emit: 'change',
      initial: true,
      temperatureDelta: 0,
      brightnessDelta: 0,
    },
  },
  'keyholder-events': {
    fields: {
      name: '',
      panel: '',
      groups: [],
      typeIds: [],
      labels: [],
      partitions: [],
      first: 'skip',
      missed: 'deliver',
    },
  },
  'keyholder-query': {
    fields: { name: '', panel: '', operation: 'panel_info', locale: '', maxAge: 0 },
  },
  'keyholder-command': {
    fields: {
      name: '',
      panel: '',
      action: 'set_state',
      partition: -1,
      state: '',
      options: [],
      zone: '',
      enabled: true,
    },
  },
  'keyholder-health': {
    fields: { name: '', account: '', panel: '', every: 0 },
  },
}

/** The fields of a node of this type as the palette gives them. */
export function defaultsOf(type: string): Record<string, unknown> {
  return { ...contract[type]?.fields }
}
