import { testCursorStore } from '../../harness/contract/cursor-contract.ts'
import { testLease } from '../../harness/contract/lease-contract.ts'
import { localTestbeds } from '../../harness/contract/local-testbed.ts'
import { localPanelStores } from '../../src/panel/panel-stores.ts'

const testbeds = localTestbeds((folder, clock) => {
  const stores = localPanelStores({ id: 'panel', serial: 'A1' }, folder, clock)
  return { lease: stores.pollLease('events'), cursor: stores.cursor({ id: 'node', instances: 'one' }) }
})

describe('The lease of a process that is alone', () => testLease(testbeds))

describe('The cursor of a process that is alone', () => testCursorStore(testbeds))
