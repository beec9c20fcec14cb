/** A plan as it is offered. */
export interface PlanOffer {
  readonly name: string;
  readonly title: string;
  /** Requests a month; null: agreed with each customer. */
  readonly monthlyLimit: number | null;
  /** Requests a second; null: agreed with each customer. */
  readonly rate: number | null;
  readonly maxPageSize: number;
}
