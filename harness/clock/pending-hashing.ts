import { RejectedCredentials } from '../../src/account/service-user/auth/rejected-credentials.ts'

const { stretch } = RejectedCredentials

let pending = 0

RejectedCredentials.stretch = async (...secret) => {
  pending += 1
  try {
    return await stretch(...secret)
  } finally {
    pending -= 1
  }
}

/** Returns the number of passwords and user codes that this process is hashing. */
export function countPendingHashing(): number {
  return pending
}
