import { gzipBomb, largeBody } from '../../src/simulator/faults/network-faults.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'

// Run as a process of its own: tells its url, and when asked the most memory that it ever had, in bytes.
const [fault, bytes] = process.argv.slice(2)
const simulator = await startSimulator()
simulator.faults.start((fault === 'gzipBomb' ? gzipBomb : largeBody)(Number(bytes)))
process.on('message', () => process.send?.(process.resourceUsage().maxRSS * 1024))
process.send?.(simulator.url)
