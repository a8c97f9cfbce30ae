import { inputs } from '../../../harness/mocha/depth.ts'
import { testDelivery } from '../../../harness/properties/events/delivery-properties.ts'

describe('The delivery of events with which another process may go on', () => testDelivery(inputs(300), true))
