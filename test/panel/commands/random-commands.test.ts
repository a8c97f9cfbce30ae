import { testCommands } from '../../../harness/properties/command-properties.ts'

describe('The command queue, for random sequences of commands, faults and flow stops,', () => {
  testCommands(10)
})
