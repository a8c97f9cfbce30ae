// Random tests of a short suite try something new in each run. It is loaded first by the process that starts the others,
// which inherit the seed, so one run has one seed.
if (process.env.SEED === undefined) process.env.SEED = `${Math.floor(Math.random() * 2 ** 31)}`
if (process.env.MOCHA_WORKER_ID === undefined)
  console.log(`Repeat the random tests of this run with SEED=${process.env.SEED}`)
