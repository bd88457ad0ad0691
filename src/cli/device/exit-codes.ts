/** How a `device` command ends, for scripts. */
export const exitCode = Object.freeze({ done: 0, failed: 1, usage: 2, nothingPending: 3 })

export const exitCodesHelp = `
Exit codes:
  0  done
  1  failed, refused by the service, or not approved
  2  used in a way that cannot work; also: a session or a number has to be named
  3  nothing is pending`
