import { testDelivery } from '../../../harness/properties/events/delivery-properties.ts'

describe('The delivery of events', () => testDelivery(700, false))
