import { testDelivery } from '../../../harness/properties/delivery-properties.ts'

describe('The delivery of events', () => testDelivery(1000))
