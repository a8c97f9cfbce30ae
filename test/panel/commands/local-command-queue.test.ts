import { testCommandQueue } from '../../../harness/contract/command-queue-contract.ts'
import { localTestbeds } from '../../../harness/contract/local-testbed.ts'
import { LocalCommandQueue } from '../../../src/panel/commands/command-queue.ts'

const testbeds = localTestbeds((_folder, clock) => ({ commandQueue: new LocalCommandQueue(clock) }))

describe('The command queue of a process that is alone', () => testCommandQueue(testbeds))
