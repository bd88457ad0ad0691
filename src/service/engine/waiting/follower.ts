/** Receives events. */
export interface Follower<T> {
  event(value: T): void
  /** No more events follow: read to learn of later changes. */
  end(): void
}

/** A source of events. The returned function unsubscribes, without a call of `end`. */
export type EventSource<T> = (follower: Follower<T>) => () => void
