/**
 * Returns the name of a key in Redis. The name of the cluster is the hash tag, so that a Redis Cluster keeps all keys of it on
 * one server.
 * @param name the name in the cluster; `*` for all of them
 */
export function keyOf(clusterName: string, name: string): string {
  return `keyholder:{${clusterName}}:${name}`
}
