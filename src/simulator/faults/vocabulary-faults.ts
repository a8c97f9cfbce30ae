import type { HttpResponse } from '../http/http-response.ts'
import type { Fault } from './active-faults.ts'

type Members = Record<string, unknown>

/** The state of each partition is a word that the setup of the panel does not define. */
export function undefinedState(state = 'TOTAL'): Fault {
  return rewritten(`undefined state ${state}`, (operation, part) => {
    if (operation === 'status' && 'state' in part && 'ready' in part) part.state = state
  })
}

/** The state of each transport is a word of no known service, and so is the name of a further transport. */
export function undefinedTransport(state = 'standby'): Fault {
  return rewritten(`undefined transport state ${state}`, (operation, part) => {
    if (operation !== 'status') return
    if ('is_connected' in part || ('connected' in part && 'state' in part)) part.state = state
    if ('bba' in part) part.satellite = { is_connected: true, connected: true, state }
  })
}

/** The status has a further partition that the setup does not define, and each entry of a list belongs to it, too. */
export function undefinedPartition(id = 9): Fault {
  return rewritten(`undefined partition ${id}`, (operation, part) => {
    if (!Array.isArray(part.partitions) || operation === 'panel_info') return
    const further = { id, state: 'DISARM', status: '', ready: false, options: [] }
    part.partitions.push(operation === 'status' ? further : id)
  })
}

/** Each device has a warning of an unknown type, and each trouble is of this type. */
export function undefinedWarning(type = 'WORN_SPRING'): Fault {
  return rewritten(`undefined warning ${type}`, (operation, part) => {
    if (operation === 'troubles' && 'trouble_type' in part) part.trouble_type = type
    if (operation !== 'devices' || !('warnings' in part)) return
    const warning = { type, severity: 'TROUBLE', in_memory: false }
    part.warnings = [...(Array.isArray(part.warnings) ? part.warnings : []), warning]
  })
}

/** The words for alarms, troubles, types of zones and models are words of no known service. */
export function undefinedWords(): Fault {
  const changed = ['alarm_type', 'alert_type', 'trouble_type', 'zone_type', 'subtype']
  return rewritten('undefined words', (_operation, part) => {
    for (const member of changed) if (typeof part[member] === 'string') part[member] = `NEW_${part[member]}`
  })
}

/** The members that are words of the service. */
const wordMembers: readonly string[] = [
  ...['state', 'status', 'options', 'alarm_type', 'alert_type', 'trouble_type'],
  ...['device_type', 'zone_type', 'subtype', 'type', 'severity', 'level'],
]

/** The words of all lists have another case than those of the setup. */
export function otherCase(letters: 'small' | 'capital'): Fault {
  const change = (word: unknown) =>
    typeof word !== 'string' ? word : letters === 'small' ? word.toLowerCase() : word.toUpperCase()
  return rewritten(`words in ${letters} letters`, (operation, part) => {
    if (!lists.includes(operation)) return
    for (const member of wordMembers) {
      const word = part[member]
      if (member in part) part[member] = Array.isArray(word) ? word.map(change) : change(word)
    }
  })
}

/** Ids are texts: those of partitions, devices and events. */
export function idsAsTexts(): Fault {
  const change = (id: unknown) => (typeof id === 'number' ? String(id) : id)
  return rewritten('ids as texts', (_operation, part) => {
    for (const member of [...idMembers, 'partitions']) {
      const ids = part[member]
      if (member in part) part[member] = Array.isArray(ids) ? ids.map(change) : change(ids)
    }
  })
}

/** The forms of ids that no service should send. */
export type OddId = 'zero' | 'negative' | 'huge' | 'fraction' | 'missing'

/** The ids of devices, events and alarms are odd; those of partitions are not changed. */
export function oddIds(kind: OddId): Fault {
  const change = (id: unknown) => {
    if (typeof id !== 'number') return id
    return { zero: 0, negative: -id, huge: id * 2 ** 40, fraction: id + 0.5, missing: null }[kind]
  }
  return rewritten(`ids: ${kind}`, (operation, part) => {
    if (!lists.includes(operation) || operation === 'status') return
    for (const member of idMembers) if (member in part) part[member] = change(part[member])
  })
}

/** All words and forms that the setup of the panel does not define. */
export const vocabularyFaults: readonly (() => Fault)[] = [
  () => undefinedState(),
  () => undefinedTransport(),
  () => undefinedPartition(),
  () => undefinedWarning(),
  () => undefinedWords(),
  () => otherCase('small'),
  () => otherCase('capital'),
  () => idsAsTexts(),
  () => oddIds('zero'),
  () => oddIds('negative'),
  () => oddIds('huge'),
  () => oddIds('fraction'),
  () => oddIds('missing'),
]

const idMembers: readonly string[] = ['id', 'event', 'evt_id']

const lists: readonly string[] = ['status', 'alarms', 'alerts', 'troubles', 'devices', 'events']

/** Returns a fault that changes each object in the answers to reads of a panel, at every depth, the outer ones first. */
function rewritten(name: string, change: (operation: string, part: Members) => void): Fault {
  return {
    name,
    answer: (getOriginal, { operation }): HttpResponse => {
      const original = getOriginal()
      if (![...lists, 'panel_info'].includes(operation) || typeof original.body !== 'object') return original
      const body = structuredClone(original.body)
      visit(body, (part) => change(operation, part))
      return { ...original, body }
    },
  }
}

function visit(value: unknown, change: (part: Members) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) change(value as Members)
  for (const member of Object.values(value)) visit(member, change)
}
