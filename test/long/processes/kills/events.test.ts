import { testKills } from '../../../../harness/kills/kill-properties.ts'

describe('Events over kills of a real Node-RED', () => testKills(60))
