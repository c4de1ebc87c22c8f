export interface Change {
  /**
   * `break`: a correct client may fail. `surprise`: a client may fail if it isn't ready for what the API may always do.
   * `notice`: a sunset is new, or earlier than announced.
   */
  readonly kind: 'break' | 'surprise' | 'notice';
  readonly coordinate: string;
  /** The element whose lifecycle counts where the base lacks this one, or does not require it. */
  readonly parent?: string;
  /** Whether clients could leave the element out and now cannot, which breaks those of its parent that do. */
  readonly isNewlyRequired?: boolean;
  /** In whole sentences. */
  readonly what: string;
  /** The day that a notice is about, in UTC. */
  readonly sunset?: string;
  readonly operations?: readonly string[];
}
