import { RejectedCredentials } from '../../src/account/auth/rejected-credentials.ts'

// Half of the processor time of the tests would go into stretching passwords that everybody knows.
RejectedCredentials.cost = 512
