import { testNewEvents } from '../../../../harness/properties/events/new-events-properties.ts'

describe('The detection of new events', () => testNewEvents(1000, ['plain', 'twins', 'late', 'reset']))
