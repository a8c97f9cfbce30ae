import type { Node } from 'node-red'
import type { DeliveringNode } from '../../src/panel/lease.ts'
import { badSetting } from '../../src/settings.ts'

/**
 * Returns a node as the instances of a cluster know it. A flow of before there were clusters has no such setting.
 * @throws KeyholderError BAD_SETTING
 */
export function deliveringNode(
  { id }: Pick<Node, 'id'>,
  { instances }: { instances?: unknown },
): DeliveringNode {
  if (instances === undefined || instances === '' || instances === 'one') return { id, instances: 'one' }
  if (instances === 'every') return { id, instances }
  throw badSetting('instances', 'this is neither "one" nor "every". Choose which instances send')
}
