import { testKills } from '../../../../harness/kills/kill-properties.ts'
import { repetitions } from '../../../../harness/mocha/depth.ts'

describe('Events over kills of a real Node-RED', () => testKills(repetitions(60, 8)))
