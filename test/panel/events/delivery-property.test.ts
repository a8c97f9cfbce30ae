import { testSharedDelivery } from '../../../harness/properties/events/delivery-properties.ts'

describe('The delivery of events with which another process may go on', () => testSharedDelivery(2))
