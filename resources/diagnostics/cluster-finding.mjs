import { describeDuration } from '../duration.mjs'

const cluster = '@keyholder/node-red-alarm-panel/keyholder:cluster'

/** Returns the name of a step of a cluster's check in a state. */
export function nameClusterStep(state, step) {
  return RED._(`${cluster}.check.${state}.${step}`)
}

/** Returns a time from now in the language of the editor, with the day if it is not today. */
function describeTime(seconds) {
  const now = new Date()
  const time = new Date(now.getTime() + seconds * 1000)
  const isToday = time.toDateString() === now.toDateString()
  return time.toLocaleString(RED.i18n.lang(), {
    ...(isToday ? {} : { dateStyle: 'medium' }),
    timeStyle: 'medium',
  })
}

/** Returns what there is to know about a cluster that works. */
export function createNoticeLine({ notice, values = {} }) {
  const { seconds = 0 } = values
  const times = { time: describeDuration(seconds), end: describeTime(seconds) }
  return $('<div class="keyholder-remedy">').text(
    RED._(`${cluster}.notice.${notice}`, { ...values, ...times }),
  )
}

/** Returns the list of the instances in a cluster. */
export function createInstanceList(instances) {
  const items = instances.map(({ name, seconds, isOwn }) => {
    const since = RED._(`${cluster}.instance.since`, { time: describeTime(-seconds) })
    const facts = [isOwn && RED._(`${cluster}.instance.own`), since].filter(Boolean).join(' · ')
    return $('<li>').append($('<strong>').text(name), $('<span class="keyholder-fact">').text(facts))
  })
  return $('<ul>').append(items)
}
