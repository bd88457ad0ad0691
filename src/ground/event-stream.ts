/** Headers that keep proxies and middleware from collecting the events of a stream. */
export const unbuffered = {
  // `no-transform` stops the compression middleware.
  'Cache-Control': 'no-store, no-transform',
  // This header stops nginx.
  'X-Accel-Buffering': 'no',
}

/** An event as it is sent (WHATWG HTML section 9.2.6). */
export const eventText = (data: string, event?: string): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`
