import { gzipBomb, largeBody } from '../../src/simulator/faults/network-faults.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

// Runs in its own process: sends its URL, and on a message its maximum memory in bytes.
const [fault, bytes] = process.argv.slice(2)
const simulator = await startSimulator()
simulator.faults.start((fault === 'gzipBomb' ? gzipBomb : largeBody)(Number(bytes)))
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024))
process.send?.(simulator.url)
