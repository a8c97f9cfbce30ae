import { testDelivery } from '../../../harness/properties/events/delivery-properties.ts'

describe('The delivery of events', () => {
  testDelivery(2, false)
  describe('with which another process may go on', () => testDelivery(2, true))
})
