import type { Benchmark } from './benchmark.ts'

/** An entry in the list of benchmarks. */
export interface ListedBenchmark {
  name: string
  /** Those of a cluster are run only on demand: they take about half an hour. */
  group?: 'cluster'
  /**
   * Reason for a single run unless the command line says how many: `same` if a fake clock, a fixed seed or files give the
   * same figures each time, `long` if a run takes minutes, or has many kills or redeploys already.
   */
  once?: 'same' | 'long'
  load(): Promise<{ default: Benchmark }>
}

/** All benchmarks; the first is number 1. */
export const benchmarks: readonly ListedBenchmark[] = [
  {
    name: 'Requests of 50 nodes / of 1 node',
    once: 'long',
    load: () => import('./benchmarks/request-sharing.ts'),
  },
  {
    name: 'Attempts in any minute / cap',
    once: 'same',
    load: () => import('./benchmarks/attempts-per-minute.ts'),
  },
  {
    name: 'Backlog, wall clock stepped / unstepped',
    once: 'same',
    load: () => import('./benchmarks/wall-clock-steps.ts'),
  },
  {
    name: 'Wait of a command behind polls / window',
    once: 'same',
    load: () => import('./benchmarks/command-wait.ts'),
  },
  {
    name: 'Call through the account / bare got call',
    load: () => import('./benchmarks/request-overhead.ts'),
  },
  { name: 'Finding new events / parsing them', load: () => import('./benchmarks/new-events.ts') },
  { name: 'Checking an answer / parsing it', load: () => import('./benchmarks/response-validation.ts') },
  { name: 'Events lost or repeated', once: 'long', load: () => import('./benchmarks/lost-events.ts') },
  { name: 'Sign-ins / expiries, wrong passwords', load: () => import('./benchmarks/sign-ins.ts') },
  { name: 'Loading in Node-RED / best peer', load: () => import('./benchmarks/load-time.ts') },
  {
    name: 'Installed size / smallest peer',
    once: 'same',
    load: () => import('./benchmarks/installed-size.ts'),
  },
  {
    name: 'Heap of a panel of 1,000 / its parsed answers',
    load: () => import('./benchmarks/heap-per-panel.ts'),
  },
  {
    name: 'Age of an event when it is told / bound',
    once: 'same',
    load: () => import('./benchmarks/event-age.ts'),
  },
  {
    name: 'Cluster: attempts in any minute / cap',
    group: 'cluster',
    once: 'long',
    load: () => import('./benchmarks/cluster/attempts.ts'),
  },
  {
    name: 'Cluster: polls',
    group: 'cluster',
    once: 'long',
    load: () => import('./benchmarks/cluster/polls.ts'),
  },
  {
    name: 'Cluster: events lost or repeated',
    group: 'cluster',
    once: 'long',
    load: () => import('./benchmarks/cluster/events.ts'),
  },
  {
    name: 'Cluster: sign-ins / expiries, wrong passwords',
    group: 'cluster',
    once: 'long',
    load: () => import('./benchmarks/cluster/sign-ins.ts'),
  },
  {
    name: 'Cluster: takeover / 7 s',
    group: 'cluster',
    once: 'long',
    load: () => import('./benchmarks/cluster/takeover.ts'),
  },
  {
    name: 'Cluster: call / call of a process alone',
    group: 'cluster',
    load: () => import('./benchmarks/cluster/request-overhead.ts'),
  },
  {
    name: 'Cluster: processor time of Redis',
    group: 'cluster',
    load: () => import('./benchmarks/cluster/redis-time.ts'),
  },
  {
    name: 'Cluster: memory of a cursor / its JSON',
    group: 'cluster',
    load: () => import('./benchmarks/cluster/cursor-memory.ts'),
  },
  {
    name: 'Cluster: package / the same without it',
    group: 'cluster',
    load: () => import('./benchmarks/cluster/base-cost.ts'),
  },
  { name: 'Home Assistant: work of a poll / bounds', load: () => import('./benchmarks/home-assistant.ts') },
  {
    name: 'Age of news of a household / bound',
    once: 'same',
    load: () => import('./benchmarks/news-age.ts'),
  },
  {
    name: 'Disk in a day of a household / before',
    once: 'same',
    load: () => import('./benchmarks/machine-day.ts'),
  },
]
