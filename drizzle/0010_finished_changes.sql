ALTER TABLE "feed" ADD COLUMN "finished" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "feed" ADD COLUMN "ending" bigint;--> statement-breakpoint
ALTER TABLE "feed" ADD COLUMN "ended_at" bigint;