/** Who is told of events. */
export interface Follower<T> {
  event(value: T): void
  /** Nothing more comes: what happens from now on has to be found out by reading. */
  end(): void
}

/** What can be followed. The answer of it ends following, without a call of `end`. */
export type EventSource<T> = (follower: Follower<T>) => () => void
