import { redisTestbeds } from '../../../../harness/cluster/redis-testbed.ts'
import { inputs } from '../../../../harness/mocha/depth.ts'
import { testCommandQueueSequences } from '../../../../harness/properties/command-queue-properties.ts'
import { describeWithRedis } from '../../../../harness/redis-server.ts'

describeWithRedis(
  'The command queue of several instances, for random messages, kills and stops,',
  (server) => {
    const testbeds = redisTestbeds(server, (cluster) => cluster.panels.commands('panel1', 'A1B2C3'))
    testCommandQueueSequences(testbeds, inputs(1000))
  },
)
