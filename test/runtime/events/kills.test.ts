import { checkKills } from '../../../harness/properties/kill-properties.ts'

describe('Events over kills of a real Node-RED', () => {
  checkKills(5)
})
