import type { Mutant } from './mutant.ts'

export const mutants: readonly Mutant[] = [
  ...inheritedSocket(),
  ...signals(),
  ...draining(),
  ...sockets(),
  ...listener(),
  ...overload(),
  ...heldLimits(),
  ...retries(),
]

function inheritedSocket(): readonly Mutant[] {
  const file = 'src/cli/serve/inherited-socket.ts'
  const test = 'cli/inherited-socket.test.ts'
  return [
    {
      defense: 'an inherited socket goes on being served while it drains',
      file: 'src/cli/commands/serve.ts',
      find: 'service.drain({ serveNew: socket !== undefined })',
      replace: 'service.drain()',
      test: 'processes/restart.long.ts',
      title: 'a socket that systemd holds resets no connection during restarts, neither a new nor a kept-alive one',
    },
    {
      defense: 'the service closes after the connections that were accepted already',
      file: 'src/cli/commands/serve.ts',
      find: 'await Promise.all(listeners.map((listener) => listener.close()))',
      replace: 'void Promise.all(listeners.map((listener) => listener.close()))',
      test: 'processes/restart.long.ts',
      title: 'a socket that systemd holds resets no connection during restarts, neither a new nor a kept-alive one',
    },
    {
      defense: 'LISTEN_PID is compared with the process',
      file,
      find: 'if (owner !== String(pid)) {',
      replace: 'if (owner === "") {',
      test: 'processes/restart.long.ts',
      title: 'serve rejects in one line a socket from systemd that was passed to another process',
    },
    {
      defense: 'several sockets are refused',
      file,
      find: "if (count !== '1') {",
      replace: "if (count === '-1') {",
      test,
      title: 'a systemd socket with wrong variables is refused in one line: %j',
    },
    {
      defense: 'the variables that name the socket are removed',
      file,
      find: 'for (const name of names) delete env[name]',
      replace: '',
      test,
      title: 'a systemd socket that is %s is announced to no child process (LISTEN_PID=%s, LISTEN_FDS=%s)',
    },
  ]
}

function signals(): readonly Mutant[] {
  const file = 'src/cli/serve/end-on-signal.ts'
  const test = 'processes/restart.long.ts'
  return [
    {
      defense: 'the time between draining and the end',
      file,
      find: 'await pause(commandClock, seconds * 1000)',
      replace: '',
      test,
      title:
        'serve on SIGTERM is not ready, rejects calls that start something, ends streams, and exits with 0 after --drain-seconds',
    },
    {
      defense: 'a second signal ends the process',
      file,
      find: 'if (ending) process.exit(1)',
      replace: 'if (ending) return',
      test,
      title: 'serve on SIGTERM exits at once on a second signal, %s',
    },
  ]
}

function draining(): readonly Mutant[] {
  const test = 'service/engine/http/drain.test.ts'
  return [
    {
      defense: 'requests whose client is gone already do not count as in progress',
      file: 'src/service/engine/http/in-flight.ts',
      find: 'if (reader.closed) leave()\n    else ',
      replace: '',
      test: 'service/engine/http/in-flight.test.ts',
      title:
        'a request whose client disconnects before the service receives it does not count as in progress, so closing does not wait',
    },
    {
      defense: 'a draining service is not ready',
      file: 'src/service/engine/front/health.ts',
      find: "if (ctx.waiters.closed()) throw unavailable(new Error('The service is closing.'))",
      replace: '',
      test,
      title: 'a draining service is healthy, but not ready',
    },
    {
      defense: 'draining ends held reads',
      file: 'src/service/engine/waiting/waiters.ts',
      find: 'for (const subscriptions of byKey.values()) for (const subscription of subscriptions) subscription.giveUp()',
      replace: '',
      test,
      title: 'a draining service answers a held read of a session at once with its current state',
    },
    {
      defense: 'draining ends event streams',
      file: 'src/service/core.ts',
      find: 'ctx.settled.close()',
      replace: '',
      test,
      title: 'a draining service ends event streams cleanly',
    },
    {
      defense: 'a draining service does not claim to hold a read',
      file: 'src/service/engine/http/rest.ts',
      find: 'if (wait === undefined || ctx.waiters.closed()) return read()',
      replace: 'if (wait === undefined) return read()',
      test,
      title: 'a draining service holds no new read and says so, so that its caller does not retry at once',
    },
    {
      defense: 'a draining service does not claim to hold an inbox',
      file: 'src/service/routes/device.ts',
      find: 'const wait = ctx.waiters.closed() ? undefined : preferredWait(',
      replace: 'const wait = preferredWait(',
      test,
      title: 'a draining service holds no new read and says so, so that its caller does not retry at once',
    },
    {
      defense: 'a draining service opens no event stream',
      file: 'src/service/engine/http/rest.ts',
      find: "if (waiters.closed()) throw new ApiProblem('api.error.unavailable')",
      replace: '',
      test,
      title: 'a draining service refuses a new event stream, which would end at once',
    },
    {
      defense: 'a draining service refuses what begins something',
      file: 'src/service/service.ts',
      find: 'if (!serveNew) inFlight.refuseNew()',
      replace: '',
      test,
      title:
        'a draining service refuses requests that begin something with 503, Retry-After, and the statement that nothing was done',
    },
    {
      defense: 'a draining service serves what finishes an approval',
      file: 'src/service/engine/http/urgency.ts',
      find: "urgency: 'finishes' as const",
      replace: "urgency: 'begins' as const",
      test,
      title: 'a draining service serves the approval of a sign-in in progress, from the device to the redemption',
    },
  ]
}

function sockets(): readonly Mutant[] {
  const file = 'src/service/engine/http/sockets.ts'
  const test = 'service/engine/http/sockets.test.ts'
  return [
    {
      defense: 'several sockets accept connections of one port',
      file,
      find: 'const socketsPerPort = 16',
      replace: 'const socketsPerPort = 1',
      test,
      title: 'a listener accepts many waiting connections in a few turns of the event loop',
    },
    {
      defense: 'a port that is shared by sockets is free before',
      file,
      find: 'if (port !== 0) await requireFree({ host, port })',
      replace: '',
      test,
      title: 'a listener rejects a port on which another service of the same user listens',
    },
  ]
}

function listener(): readonly Mutant[] {
  const file = 'src/service/engine/http/listen.ts'
  const test = 'service/engine/http/drain.test.ts'
  return [
    {
      defense: 'a draining listener closes the connection of each later response',
      file,
      find: 'if (draining) closeAfterwards(res)',
      replace: '',
      test,
      title: 'a draining listener keeps serving, but keeps no connection alive, neither new nor existing',
    },
    {
      defense: 'a draining listener closes the connection of responses under way',
      file,
      find: 'for (const res of unanswered) closeAfterwards(res)',
      replace: '',
      test,
      title: 'a draining listener closes a connection after the response in progress',
    },
    {
      defense: 'a new connection has time to send its first request',
      file,
      find: 'closeIfUnused(connection, since + grace - performance.now())',
      replace: 'closeIfUnused(connection, 0 * (since + grace))',
      test,
      title: 'a closing listener answers the first request of a connection that was opened just before',
    },
  ]
}

function overload(): readonly Mutant[] {
  const test = 'service/engine/http/overload.test.ts'
  return [
    {
      defense: 'requests beyond the limit are refused',
      file: 'src/service/engine/http/admission.ts',
      find: 'working >= limit * share || ',
      replace: '',
      test,
      title: 'requests beyond the concurrency limit get 503 with Retry-After, and have no effect',
    },
    {
      defense: 'the times to try again differ',
      file: 'src/service/service.ts',
      find: 'String(1 + (byte % maxRetryAfter))',
      replace: 'String(1 + (byte % 1))',
      test,
      title:
        'requests beyond the concurrency limit get different Retry-After times, so that they do not return together',
    },
    {
      defense: 'requests that complete an approval are always taken',
      file: 'src/service/engine/http/admission.ts',
      find: 'finishes: Number.POSITIVE_INFINITY,',
      replace: 'finishes: 1,',
      test,
      title: 'overload does not prevent an approval from completing: the device answers, and the app redeems',
    },
    {
      defense: 'a read that is held takes no place',
      file: 'src/service/engine/http/held-read.ts',
      find: 'startsWaiting(read.reader)',
      replace: '',
      test,
      title: 'the concurrency limit does not include held reads and event streams',
    },
    {
      defense: 'an event stream takes no place',
      file: 'src/service/engine/http/event-stream.ts',
      find: 'startsWaiting(res)',
      replace: '',
      test,
      title: 'the concurrency limit does not include held reads and event streams',
    },
    {
      defense: 'a request that waits for the mail server takes no place',
      file: 'src/service/engine/http/rest.ts',
      find: '        startsWaiting(request.reader)\n',
      replace: '',
      test: 'service/features/sent-codes/slow-mail.test.ts',
      title: 'a request that waits for the mail server takes no capacity from others',
    },
    {
      defense: 'mails that wait for the mail server are limited for each API key',
      file: 'src/service/engine/http/rest.ts',
      find: 'outsideOfKey.take(admission.id)',
      replace: "outsideOfKey.take('')",
      test: 'service/features/sent-codes/slow-mail.test.ts',
      title: 'mails of one API key that wait for the mail server are limited, and those of another key are sent',
    },
    {
      defense: 'the certificate of a mail server elsewhere is verified',
      file: 'src/service/engine/mail/mailer.ts',
      find: 'isLocal && !server.secure && { tls',
      replace: '!server.secure && { tls',
      test: 'service/engine/mail/nodemailer-versions.test.ts',
      title: 'trusts a certificate of no authority on this machine, where mail needs no TLS, and nowhere else',
    },
    {
      defense: 'a request whose body does not come takes no place',
      file: 'src/service/engine/http/in-flight.ts',
      find: 'if (over || req.complete) return',
      replace: 'if (over || !req.complete) return',
      test,
      title: 'the concurrency limit does not include requests whose body never arrives',
    },
    {
      defense: 'a turn of the event loop that lasts too long takes up nothing more',
      file: 'src/service/engine/http/admission.ts',
      find: ' || turnTime(start) > responseTime * turnShare * share',
      replace: '',
      test: 'service/engine/http/admission.test.ts',
      title:
        'no new request is admitted in an event loop turn that takes too long, because its requests have waited that long',
    },
    {
      defense: 'the limit adapts to how long requests take',
      file: 'src/service/engine/http/admission.ts',
      find: 'if (median > responseTime) limit',
      replace: 'if (median > Number.POSITIVE_INFINITY) limit',
      test: 'service/engine/http/admission.test.ts',
      title:
        'the concurrency limit falls to as low as 16 while half of the requests are too slow, and otherwise rises again',
    },
    {
      defense: 'an event stream of the service sends nothing after its end',
      file: 'src/service/engine/http/event-stream.ts',
      find: '    if (res.writableEnded) return\n',
      replace: '',
      test: 'service/features/sessions/session-events.test.ts',
      title: 'an event stream sends nothing after its end, however slowly its reader takes it',
    },
    {
      defense: 'an event stream of the web half sends nothing after its end',
      file: 'src/express/apply.ts',
      find: 'void (res.raw.writableEnded || put(text))',
      replace: 'void put(text)',
      test: 'express/apply.test.ts',
      title: 'a stream sends nothing after its end, however slowly the browser takes it',
    },
    {
      defense: 'a reader who stops reading is cut off',
      file: 'src/service/engine/http/event-stream.ts',
      find: 'if (res.writableLength > maxUnread) res.destroy()',
      replace: '',
      test: 'service/features/sessions/session-events.test.ts',
      title: 'an event stream is closed when its reader stops reading',
    },
  ]
}

function heldLimits(): readonly Mutant[] {
  const test = 'service/engine/http/held-limits.test.ts'
  const file = 'src/service/engine/http/rest.ts'
  return [
    {
      defense: 'the places for reads about one user',
      file,
      find: '[readsOfUser, userOf(value)],',
      replace: '',
      test,
      title: 'held reads of one user are limited: a further one is answered at once, and says that it was not held',
    },
    {
      defense: 'the places for reads of one API key',
      file,
      find: '[readsOfKey, admission.id],',
      replace: '',
      test,
      title: 'held reads of one API key are limited, across all users',
    },
    {
      defense: 'a read that found no place does not claim to be held',
      file,
      find: "if (!leave) delete headers['Preference-Applied']",
      replace: '',
      test,
      title: 'held reads of one user are limited: a further one is answered at once, and says that it was not held',
    },
    {
      defense: 'the places for reads of one device',
      file: 'src/service/routes/device.ts',
      find: `      const leave = ctx.places.readsOfDevice.take(device.id)
      isHeld =`,
      replace: `      const leave = () => {}
      isHeld =`,
      test,
      title: 'held reads of one device are limited',
    },
    {
      defense: 'the places for event streams of one device',
      file: 'src/service/routes/device.ts',
      find: `    const leave = ctx.places.readsOfDevice.take(device.id)
    if (leave) {`,
      replace: `    const leave = () => {}
    if (leave) {`,
      test: 'service/features/devices/inbox-stream.test.ts',
      title:
        'event streams share the limit of a device’s held reads; beyond that it gets plain responses until one ends',
    },
    {
      defense: 'the event stream of a device ends with a service that has ended since',
      file: 'src/service/engine/http/follow-changes.ts',
      find: 'if (ctx.waiters.closed()) return',
      replace: '',
      test: 'service/features/devices/inbox-stream.test.ts',
      title: 'the event streams of a device end at once if the service has closed since they were requested',
    },
    {
      defense: 'the event stream of a device ends when it is taken out of use',
      file: 'src/service/engine/http/follow-changes.ts',
      find: '.finally(() => follower.end())',
      replace: '',
      test: 'service/features/devices/inbox-stream.test.ts',
      title: 'the event stream of an inbox ends when the device is revoked, which learns the reason at its next call',
    },
    {
      defense: 'the places for event streams of one API key',
      file,
      find: 'if (!leave) throw tooManyRequests({ limit, wait: streamRetry, now: clock.now() })',
      replace: 'if (!leave) return',
      test,
      title: 'event streams of one API key are limited: a further one gets 429 with Retry-After',
    },
    {
      defense: 'a read leaves its place when it ends',
      file: 'src/service/engine/http/held-read.ts',
      find: 'leave?.()',
      replace: '',
      test,
      title: 'held reads free their places when they end',
    },
  ]
}

function retries(): readonly Mutant[] {
  const test = 'client/retry-unprocessed.test.ts'
  const file = 'src/client/retry-unprocessed.ts'
  return [
    {
      defense: 'a refused call is sent again',
      file,
      find: 'const maxRetries = 2',
      replace: 'const maxRetries = 0',
      test,
      title: 'a call rejected unprocessed (%s) is retried after the time that the service names',
    },
    {
      defense: 'a call whose outcome is unknown is repeated only with an Idempotency-Key',
      file,
      find: 'let mayRepeat = hasKey',
      replace: 'let mayRepeat = hasKey || true',
      test,
      title: 'a call without an Idempotency-Key is not repeated, although its outcome is unknown',
    },
    {
      defense: 'a call whose outcome is unknown is repeated once',
      file,
      find: 'if (isRepetition) mayRepeat = false',
      replace: 'void isRepetition',
      test,
      title: 'a creating call whose outcome the service does not know is repeated once, with the same Idempotency-Key',
    },
    {
      defense: 'chance spreads the pauses',
      file,
      find: '(1 + random() * jitter)',
      replace: '1',
      test,
      title: 'the retry of a call rejected unprocessed waits a random extra of up to half the pause',
    },
    {
      defense: 'a call is sent again twice at most',
      file,
      find: 'retries >= maxRetries || ',
      replace: '',
      test,
      title: 'a call rejected unprocessed is retried at most twice, and then fails with the time of the next try',
    },
    {
      defense: 'nothing is sent again while most calls are refused',
      file,
      find: ' || remainingTokens <= tokens.max / 2',
      replace: '',
      test,
      title: 'a call rejected unprocessed is not retried while most calls are rejected',
    },
    {
      defense: 'only what the service did nothing for is sent again',
      file,
      find: 'error instanceof ApiError && error.unprocessed !== undefined',
      replace: 'error instanceof ApiError',
      test,
      title: 'a rejected call is not retried unless the service says that it did nothing',
    },
    {
      defense: 'an overload is no outage',
      file: 'src/express/request/service-outage.ts',
      find: " && error.unprocessed !== 'overload'",
      replace: '',
      test: 'express/failure.test.ts',
      title:
        'failMode is not asked when the service is overloaded, as an attacker could cause that with enough requests',
    },
  ]
}
