import { testKills } from '../../../harness/properties/kill-properties.ts'

describe('Events over kills of a real Node-RED', () => testKills(60))
