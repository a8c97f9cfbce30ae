import { testCommands } from '../../harness/properties/command-properties.ts'

describe('In any sequence of commands, faults and stops of flows,', () => {
  testCommands(200)
})
