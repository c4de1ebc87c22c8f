CREATE TABLE "lifecycle_counting" (
	"coordinate" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "lifecycle_uses" (
	"coordinate" text NOT NULL,
	"day" date NOT NULL,
	"client" text NOT NULL,
	"uses" bigint NOT NULL,
	"last_seen" timestamp with time zone NOT NULL,
	CONSTRAINT "lifecycle_uses_coordinate_day_client_pk" PRIMARY KEY("coordinate","day","client")
);
--> statement-breakpoint
CREATE INDEX "lifecycle_uses_day" ON "lifecycle_uses" USING btree ("day");