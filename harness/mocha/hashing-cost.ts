import { RejectedCredentials } from '../../src/account/service-user/auth/rejected-credentials.ts'

// With the cost of the product, half of the processor time of the tests would be spent on hashing known passwords.
RejectedCredentials.cost = 512
