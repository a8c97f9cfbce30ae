import { testCommands } from '../../../harness/properties/command-properties.ts'

describe('However commands, faults and ends of flows follow one another,', () => {
  testCommands(20)
})
