import { inputs } from '../../../harness/mocha/depth.ts'
import { testDelivery } from '../../../harness/properties/events/delivery-properties.ts'

describe('The delivery of events', () => testDelivery(inputs(700), false))
